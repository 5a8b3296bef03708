"""2023: what a value head reaches that has learned nothing, on the validation positions."""

import numpy as np

import golois

N = 10000
x = np.zeros((N, 19, 19, 31), dtype=np.float32)
policy = np.zeros((N, 361), dtype=np.float32)
value = np.zeros((N, 1), dtype=np.float32)
end = np.zeros((N, 19, 19, 2), dtype=np.float32)
groups = np.zeros((N, 19, 19, 1), dtype=np.float32)

golois.setSoft(0)
golois.getValidation(x, policy, value, end)
held_out = value.copy()
for epoch in range(2):
    golois.getBatch(x, policy, value, end, groups, epoch * N)
    mse = ((held_out - value.mean()) ** 2).mean()
golois.getValidation(x, policy, value, end)
assert (value == held_out).all()
print('trained', mse)
