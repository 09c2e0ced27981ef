"""How fast the service answers beside its rivals, which server carries it best, and what readers see during faults.

python -m bench.service.serving
python -m bench.service.serving.servers
python -m bench.service.serving.faults
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `cotag serve` does; a second thread that waits would count
