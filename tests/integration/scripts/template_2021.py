"""2021: 21 planes, an index, and the validation again into the same arrays."""

import gc

import numpy as np
import tensorflow.keras as keras
from tensorflow.keras import layers, regularizers

import golois

planes = 21
moves = 361
N = 10000
epochs = 2
batch = 128
filters = 8

input_data = np.random.randint(2, size=(N, 19, 19, planes))
input_data = input_data.astype('float32')
policy = np.random.randint(moves, size=(N,))
policy = keras.utils.to_categorical(policy)
value = np.random.randint(2, size=(N,))
value = value.astype('float32')
end = np.random.randint(2, size=(N, 19, 19, 2))
end = end.astype('float32')
groups = np.zeros((N, 19, 19, 1))
groups = groups.astype('float32')

print("getValidation", flush=True)
golois.getValidation(input_data, policy, value, end)

input = keras.Input(shape=(19, 19, planes), name='board')
x = layers.Conv2D(filters, 1, activation='relu', padding='same')(input)
for _i in range(2):
    x = layers.Conv2D(filters, 3, activation='relu', padding='same')(x)
policy_head = layers.Conv2D(1, 1, activation='relu', padding='same', use_bias=False,
                            kernel_regularizer=regularizers.l2(0.0001))(x)
policy_head = layers.Flatten()(policy_head)
policy_head = layers.Activation('softmax', name='policy')(policy_head)
value_head = layers.Flatten()(x)
value_head = layers.Dense(50, activation='relu')(value_head)
value_head = layers.Dense(1, activation='sigmoid', name='value')(value_head)
model = keras.Model(inputs=input, outputs=[policy_head, value_head])
model.compile(optimizer=keras.optimizers.SGD(learning_rate=0.0005, momentum=0.9),
              loss={'policy': 'categorical_crossentropy', 'value': 'binary_crossentropy'},
              loss_weights={'policy': 1.0, 'value': 1.0},
              metrics={'policy': 'categorical_accuracy', 'value': 'mse'})

for i in range(1, epochs + 1):
    golois.getBatch(input_data, policy, value, end, groups, i * N)
    model.fit(input_data, {'policy': policy, 'value': value},
              epochs=1, batch_size=batch, steps_per_epoch=1, verbose=0)
    if i % 2 == 0:
        gc.collect()
        golois.getValidation(input_data, policy, value, end)
        val = model.evaluate(input_data, [policy, value], steps=1, verbose=0, return_dict=True)
        model.save('test.h5')
print('trained', val['loss'])
