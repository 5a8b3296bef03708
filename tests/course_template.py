"""The course's training script as its students have it, smaller: run in a folder with games.data.

    python course_template.py N EPOCHS

Its imports are those of the course, so that the environment decides between Keras 3 and, with
TF_USE_LEGACY_KERAS=1, tf_keras.
"""

import gc
import sys

import numpy as np
import tensorflow.keras as keras
from tensorflow.keras import layers, regularizers

import golois

N = int(sys.argv[1])
epochs = int(sys.argv[2])
planes = 31
moves = 361
batch = 128
filters = 8

input_data = np.random.randint(2, size=(N, 19, 19, planes))
input_data = input_data.astype("float32")

policy = np.random.randint(moves, size=(N,))
policy = keras.utils.to_categorical(policy, moves)
policy = policy.astype("float32")

value = np.random.randint(2, size=(N,))
value = value.astype("float32")

end = np.random.randint(2, size=(N, 19, 19, 2))
end = end.astype("float32")

groups = np.zeros((N, 19, 19, 1))
groups = groups.astype("float32")

golois.getValidation(input_data, policy, value, end)

input = keras.Input(shape=(19, 19, planes), name="board")
x = layers.Conv2D(filters, 1, activation="relu", padding="same")(input)
for _ in range(2):
    x = layers.Conv2D(filters, 3, activation="relu", padding="same")(x)
policy_head = layers.Conv2D(
    1,
    1,
    activation="relu",
    padding="same",
    use_bias=False,
    kernel_regularizer=regularizers.l2(1e-4),
)(x)
policy_head = layers.Flatten()(policy_head)
policy_head = layers.Activation("softmax", name="policy")(policy_head)
value_head = layers.GlobalAveragePooling2D()(x)
value_head = layers.Dense(
    50, activation="relu", kernel_regularizer=regularizers.l2(1e-4)
)(value_head)
value_head = layers.Dense(
    1, activation="sigmoid", name="value", kernel_regularizer=regularizers.l2(1e-4)
)(value_head)

model = keras.Model(inputs=input, outputs=[policy_head, value_head])
model.compile(
    optimizer=keras.optimizers.SGD(learning_rate=0.0005, momentum=0.9),
    loss={"policy": "categorical_crossentropy", "value": "binary_crossentropy"},
    loss_weights={"policy": 1.0, "value": 1.0},
    metrics={"policy": "categorical_accuracy", "value": "mse"},
)

for i in range(1, epochs + 1):
    golois.getBatch(input_data, policy, value, end, groups, i * N)
    model.fit(
        input_data, {"policy": policy, "value": value}, epochs=1, batch_size=batch, verbose=0
    )
    gc.collect()
    if i % epochs == 0:
        golois.getValidation(input_data, policy, value, end)
        val = model.evaluate(
            input_data, {"policy": policy, "value": value}, verbose=0, return_dict=True
        )
        print("loss", val["loss"], "with", keras.__name__, type(model).__module__)
        model.save("test.h5")
