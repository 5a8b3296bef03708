"""Go for training: rules, planes, records and batches, on a native core. Knows no Keras and no tournament."""
