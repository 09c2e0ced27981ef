from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
# A string, so that scipy versions whose arrays cannot be subscripted at run time still import it.
Sparse: TypeAlias = "csr_array[np.float64, tuple[int, int]]"  # noqa: F821
