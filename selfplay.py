"""Train a network from scratch by self-play: NoGo, Hex and Go on small boards.

    python selfplay.py --preset nogo4 --minutes 3          into runs/nogo4
    python selfplay.py --game hex --size 5 --minutes 20    a game that is not a preset
    python selfplay.py --resume runs/nogo4                 after a stop or a kill at any moment
    python selfplay.py measure runs/nogo4                  asks solved positions, plays a match
    python selfplay.py league runs/nogo4                   rates the networks of a run
    python selfplay.py ablation FILE.toml                  compares runs over seeds
    python selfplay.py curriculum FILE.toml                trains networks that grow, in stages
    python selfplay.py attack VICTIM ATTACKER              how often one player beats another
    python selfplay.py td --preset isn_td9                 FishNet by temporal differences

The folder gets games/, nets/, journal.csv and curves.png (docs/student/selfplay.md). Exit codes: 0,
2 for bad input, 130 and 143 stopped.
"""

import sys

from golois.kit.command import imports_in_words

with imports_in_words("selfplay.py"):
    from selfplay.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], __doc__ or ""))
