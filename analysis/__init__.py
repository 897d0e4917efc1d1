"""Costs of programs, and explanations of what the compiler did to them: `module_costs`, `Explanation`."""

from mlc.analysis.costs import Cost as Cost
from mlc.analysis.costs import op_cost as op_cost
from mlc.analysis.module_costs import ModuleCosts as ModuleCosts
from mlc.analysis.module_costs import module_costs as module_costs
from mlc.analysis.op_costs import OpCosts as OpCosts
from mlc.analysis.value_sizes import UnknownSizeError as UnknownSizeError
