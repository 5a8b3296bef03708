"""2025: more validation positions than in the run before, kept for a framework of another name."""

import numpy as np

import golois

N = 10000


def arrays(n):
    return [np.zeros(shape, np.float32)
            for shape in ((n, 19, 19, 31), (n, 361), (n,), (n, 19, 19, 2))]


x, policy, value, end = arrays(N)
golois.getValidation(x, policy, value, end)
x_small, policy_small, value_small, end_small = arrays(500)
golois.getBatch(x_small, policy_small, value_small, end_small,
                groups=np.zeros((500, 19, 19, 1)), index=0)
np.savez('train.npz', x=x_small.astype(np.uint8), policy=policy_small, value=value_small)
print('trained', policy.argmax(axis=1)[:3], x_small.mean())
