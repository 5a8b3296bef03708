"""Every limit of the server and of its client: bytes, seconds, connections, files, rates.

docs/teacher/server.md has the limits that users meet; a test compares the two. How large a file may
be follows from the budget of parameters (tournament/intake/take.py).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rate:
    """How many at once, and how many per second in the long run."""

    at_once: int
    per_second: float


# Requests: a bucket for each token or address, which refills over time.
UPLOADS = Rate(10, 1 / 120)  # a student who fixes a network in the last hour, but no loop
REQUESTS = Rate(2000, 100.0)  # a class behind one address, each page asks every other second
WRONG_TOKENS = Rate(20, 1 / 30)  # of one address; valid tokens are let through regardless
MAX_BUCKETS = 10_000  # addresses are free to invent, memory is not
TOKEN_BYTES = 32  # random, so that nobody guesses a token
MAX_TOKEN = 200  # characters: a longer one is refused before anything is computed

# Connections: nobody takes all of them by silence.
MAX_CONNECTIONS = 500  # each needs memory and a file
MAX_OF_ADDRESS = 250  # a class behind one address, or all that come through a proxy
MAX_OPEN_FILES = 4096  # a connection may have a file of the site open, besides itself
HEAD_SECONDS = 10.0  # for the head of a request, which is one packet
MIN_BYTES_PER_SECOND = 10_000  # of an answer that are taken, in the long run
TAKE_SECONDS = 10.0  # of an answer during which that may be fewer
STUCK_SECONDS = 0.1  # then an answer that is not taken makes room for a new connection
SEND_BUFFER = 131_072  # bytes; Linux grows to megabytes, in which a slow reader is seen late
ANSWER_SECONDS = 5  # for answers in progress when the server stops

# Files that come in.
MAX_AT_A_TIME = 64  # being received: each has a connection and a file
MAX_OF_ONE = 2  # of one student being received: one, and one more after a broken connection
RECEIVE_SECONDS = 300  # 4 MB at 14 kB a second
MIN_FREE_BYTES = 200_000_000  # what journals, games and pages still need
MAX_FORM_REST = 65_536  # bytes of a form besides its file
MAX_PART_HEAD = 8_192  # bytes: a part has a name or two
MAX_FILE_NAME = 100  # characters that pages show

# Verdicts.
NUM_JUDGES = 2  # uploads that are judged at a time
MAX_QUEUED = 5  # of one student without a verdict, so that nobody waits for one person's files
MAX_FAILURES = 3  # of the intake on one file, then people are told
JUDGE_SECONDS = 240  # the intake has limits of its own, which end sooner
RETRY_SECONDS = 5.0  # until a step that failed is tried again, such as on a full disk

# The run, and the site beside it.
LOOK_SECONDS = 2.0  # between two looks at what is due
MAX_ATTEMPTS = 3  # of a run with the same networks
PATIENCE_SECONDS = 600.0  # after its last attempt a run that fails is tried again
STOP_SECONDS = 60  # for a run to end as Ctrl-C ends it
SHARE_OF_TIME = 0.2  # of one core, at most, for building the site while games are played
MAIL_SECONDS = 30.0  # between two looks at which e-mails are due
SMTP_SECONDS = 20.0  # for an answer of the mail server
PAGE = 50  # uploads of a history that are told at a time

# Workers (python -m tournament work).
MAX_WANTED = 256  # pairs at a time, one for each core
MAX_REPORT = 1_000_000  # bytes about a pair: 50,000 for two games of 350 moves
ASK_AGAIN_SECONDS = 2.0  # of a worker without a pair
ALIVE_SECONDS = 15.0  # between two signs of life of a worker that plays

# Challenges.
CHALLENGES_A_DAY = 5  # of one student, in 24 hours
CHALLENGE_GAMES = 80  # at most: the test ends most matches sooner
CHALLENGE_ELO = (-50.0, 50.0)  # normalised: weaker or stronger, each with a chance of 5 % to err
CHALLENGE_VISITS = 32  # a move: some 8 CPU seconds a game of the shipped networks
KEPT_CHALLENGES = 10  # of one student, whose games have up to 2 MB each

# submit.py --to: the other end.
CHUNK = 65_536  # bytes between two steps of the bar
REQUEST_SECONDS = 60  # without a byte from the server
POLL_SECONDS = 2.0  # between two questions for the verdict
AWAY_SECONDS = 1800.0  # for a server that is away or has no time
FIRST_AWAY_SECONDS = 60.0  # for a server that may not be there at all
MAX_ANSWER = 1_000_000  # bytes that are read of an answer
