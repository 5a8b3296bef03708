"""2020: eight planes, groups but no index, and a validation of ten thousand positions."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

import golois

planes = 8
moves = 361
N = 10000
filters = 8

input_data = np.random.randint(2, size=(N, 19, 19, planes)).astype('float32')
policy = keras.utils.to_categorical(np.random.randint(moves, size=(N,)))
value = np.random.randint(2, size=(N,)).astype('float32')
end = np.random.randint(2, size=(N, 19, 19, 2)).astype('float32')
groups = np.zeros((N, 19, 19, 1)).astype('float32')

print("Tensorflow version", tf.__version__)
golois.getValidation(input_data, policy, value, end)

board = keras.Input(shape=(19, 19, planes), name='board')
x = layers.Conv2D(filters, 1, activation='relu', padding='same')(board)
ident = x
x = layers.Conv2D(filters, 3, activation='relu', padding='same')(x)
x = layers.add([x, ident])
policy_head = layers.Conv2D(1, 3, activation='relu', padding='same')(x)
policy_head = layers.Flatten()(policy_head)
policy_head = layers.Dense(moves, activation='softmax', name='policy')(policy_head)
value_head = layers.Flatten()(x)
value_head = layers.Dense(1, activation='sigmoid', name='value')(value_head)
model = keras.Model(inputs=board, outputs=[policy_head, value_head])
model.compile(optimizer=keras.optimizers.SGD(learning_rate=0.01, momentum=0.9),
              loss={'policy': 'categorical_crossentropy', 'value': 'mse'},
              metrics={'policy': 'categorical_accuracy', 'value': 'mse'})

golois.getBatch(input_data, policy, value, end, groups)
model.fit(input_data, {'policy': policy, 'value': value},
          epochs=1, batch_size=128, steps_per_epoch=2, validation_split=0.1,
          validation_steps=1, verbose=0)
model.save('test.h5')
print('trained', model.count_params())
