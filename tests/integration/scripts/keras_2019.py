"""2019: Keras as a package of its own, lr, fit without a dictionary; needs Keras 2."""

import keras
import numpy as np
from keras import layers
from keras.optimizers import SGD
from keras.utils import to_categorical

import golois

planes = 8
moves = 361
N = 10000

input_data = np.random.randint(2, size=(N, 19, 19, planes)).astype('float32')
policy = to_categorical(np.random.randint(moves, size=(N,)), moves)
value = np.zeros((N,), 'float32')
end = np.zeros((N, 19, 19, 2), 'float32')

board = layers.Input(shape=(19, 19, planes), name='board')
x = layers.Conv2D(8, 3, activation='relu', padding='same')(board)
policy_head = layers.Conv2D(1, 3, activation='relu', padding='same')(x)
policy_head = layers.Flatten()(policy_head)
policy_head = layers.Dense(moves, activation='softmax', name='policy')(policy_head)
value_head = layers.Flatten()(x)
value_head = layers.Dense(1, activation='sigmoid', name='value')(value_head)

model = keras.models.Model(inputs=board, outputs=[policy_head, value_head])
model.compile(optimizer=SGD(lr=0.01),
              loss={'policy': 'categorical_crossentropy', 'value': 'mse'},
              metrics=['accuracy'])

golois.getBatch(input_data, policy, value, end)
model.fit(input_data, [policy, value], epochs=1, batch_size=128, steps_per_epoch=2, verbose=0)
model.save('test.h5')
print('trained', type(model).__module__, model.optimizer.lr.numpy())
