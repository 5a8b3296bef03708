"""Two nodes of Ray on this machine: python tests/ray_nodes.py

Prints their address. A line on stdin kills the second node; both end with stdin. It has a process
of its own since Ray reads its token when it is imported.
"""

import sys

from ray.cluster_utils import Cluster

NODE = {"num_cpus": 1, "object_store_memory": 80 << 20}

cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
try:
    second = cluster.add_node(**NODE)
    print(cluster.address, flush=True)
    for _ in sys.stdin:
        cluster.remove_node(second, allow_graceful=False)
        print("killed", flush=True)
finally:
    cluster.shutdown()
