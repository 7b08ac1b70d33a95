"""What attention, recurrence and convolution cost: formulas, counts, measurements.

- `layers`: the types of layer and what theory says each of them costs (`LAYERS`);
- `theory`: what a type of layer can be asked (`LayerType`);
- `modules`: the layers themselves;
- `counting`: FLOPs, dependency chains and path lengths found in a layer that runs;
- `measuring`: seconds and bytes;
- `grid`: measurements over many sizes, stored (`python -m attnlab.complexity`);
- `fitting`: exponents and crossings with their intervals;
- `roofline`: a model of time, fitted to measured cells;
- `roof`: a time by what the machine was measured to do at most, fitted to nothing.
"""

from attnlab.complexity.counting import (
    count_flops,
    count_layers_needed,
    count_path_length,
    count_sequential_operations,
    longest_chain,
)
from attnlab.complexity.fitting import Interval, crossing, fit_exponents, larger_half
from attnlab.complexity.grid import (
    full_grid,
    measure,
    measure_grid,
    points,
    print_results,
    size_grid,
    small_grid,
)
from attnlab.complexity.layers import LAYERS, layer_type
from attnlab.complexity.measuring import measure_seconds, peak_memory
from attnlab.complexity.modules import generate
from attnlab.complexity.roofline import Roofline, count_bytes, count_steps, fit_roofline
from attnlab.complexity.theory import LayerType
from attnlab.recurrent import count_parameters

__all__ = [
    "LAYERS",
    "Interval",
    "LayerType",
    "Roofline",
    "count_bytes",
    "count_flops",
    "count_layers_needed",
    "count_parameters",
    "count_path_length",
    "count_sequential_operations",
    "count_steps",
    "crossing",
    "fit_exponents",
    "fit_roofline",
    "full_grid",
    "generate",
    "larger_half",
    "layer_type",
    "longest_chain",
    "measure",
    "measure_grid",
    "measure_seconds",
    "peak_memory",
    "points",
    "print_results",
    "size_grid",
    "small_grid",
]
