"""2022: TensorFlow's functions within the network, and games of the year's own name."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

import golois

planes = 31
moves = 361
N = 10000

input_data = np.zeros((N, 19, 19, planes), dtype='float32')
policy = np.zeros((N, moves), dtype='float32')
value = np.zeros((N,), dtype='float32')
end = np.zeros((N, 19, 19, 2), dtype='float32')
groups = np.zeros((N, 19, 19, 1), dtype='float32')
golois.getValidation(input_data, policy, value, end)


def bottleneck_block(x, expand=32, squeeze=8):
    m = layers.Conv2D(expand, (1, 1))(x)
    m = tf.nn.swish(layers.BatchNormalization()(m))
    m = layers.DepthwiseConv2D((3, 3), padding='same')(m)
    m = layers.Conv2D(squeeze, (1, 1))(tf.nn.swish(m))
    return tf.add(m, x)


board = keras.Input(shape=(19, 19, planes), name='board')
x = bottleneck_block(layers.Conv2D(8, 1, padding='same')(board))
policy_head = layers.Conv2D(1, 1, padding='same', use_bias=False)(x)
policy_head = layers.Flatten()(policy_head)
policy_head = layers.Activation('softmax', name='policy')(policy_head)
value_head = layers.GlobalAveragePooling2D()(x)
value_head = layers.Dense(1, activation='sigmoid', name='value')(value_head)
model = keras.Model(inputs=board, outputs=[policy_head, value_head])
model.compile(optimizer=keras.optimizers.Adam(learning_rate=0.001),
              loss={'policy': 'categorical_crossentropy', 'value': 'binary_crossentropy'})

golois.getBatch(input_data, policy, value, end, groups, 0)
model.fit(input_data, {'policy': policy, 'value': value},
          epochs=1, batch_size=128, steps_per_epoch=2, verbose=0)
model.save('test.h5')
print('trained', type(model).__module__)
