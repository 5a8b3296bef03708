"""2019: eight planes, four arrays, no index; the arrays are written for another program."""

import numpy as np

planes = 8
moves = 361
dynamicBatch = True
N = 10000

if dynamicBatch:
    import golois

    input_data = np.random.randint(2, size=(N, 19, 19, planes))
    input_data = input_data.astype('float32')
    policy = np.zeros((N, moves))
    value = np.random.randint(2, size=(N,))
    value = value.astype('float32')
    end = np.random.randint(2, size=(N, 19, 19, 2))
    end = end.astype('float32')
    golois.getBatch(input_data, policy, value, end)
else:
    input_data = np.load('./input_data.npy')
    policy = np.load('./policy.npy')
    value = np.load('./value.npy')

np.save('./input_data.npy', input_data[:1000])
np.save('./policy.npy', policy[:1000])
np.save('./value.npy', value[:1000])
print('trained', input_data.shape, policy.sum(), value.mean())
