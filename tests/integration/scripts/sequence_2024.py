"""2024: a Sequence that asks for every batch by itself, and games in a folder."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.callbacks import ReduceLROnPlateau

import golois

planes, moves = 31, 361
N_VAL, BATCH = 10000, 64


def empty(n):
    return (np.zeros((n, 19, 19, planes), 'float32'), np.zeros((n, moves), 'float32'),
            np.zeros((n,), 'float32'), np.zeros((n, 19, 19, 2), 'float32'))


class GoSequence(keras.utils.Sequence):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps
        self.groups = np.zeros((BATCH, 19, 19, 1), 'float32')

    def __len__(self):
        return self.steps

    def __getitem__(self, index):
        x, policy, value, end = empty(BATCH)
        golois.getBatch(x, policy, value, end, self.groups, index * BATCH)
        return x, {'policy': policy, 'value': value}


val_x, val_policy, val_value, val_end = empty(N_VAL)
golois.getValidation(val_x, val_policy, val_value, val_end)

board = keras.Input(shape=(19, 19, planes), name='board')
x = layers.Conv2D(8, 3, activation='silu', padding='same')(board)
policy_head = layers.Conv2D(1, 1, padding='same')(x)
policy_head = layers.Softmax(name='policy')(layers.Flatten()(policy_head))
value_head = layers.GlobalAveragePooling2D()(x)
value_head = layers.Dense(1, activation='sigmoid', name='value')(value_head)
model = keras.Model(board, [policy_head, value_head])
model.compile(optimizer=keras.optimizers.AdamW(learning_rate=0.001),
              loss={'policy': 'categorical_crossentropy', 'value': 'binary_crossentropy'},
              metrics={'policy': 'categorical_accuracy', 'value': 'mse'})
model.fit(GoSequence(2), epochs=1, verbose=0,
          validation_data=(val_x[:256], {'policy': val_policy[:256], 'value': val_value[:256]}),
          callbacks=[ReduceLROnPlateau(monitor='val_loss')])
model.save('test.h5')
print('trained', model.count_params())
