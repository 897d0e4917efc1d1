"""Instrumentation of pipeline runs: IR printing, timing, statistics, traces of rewrites."""

from mlc.pipelines.instrumentation.base import Instrumentation as Instrumentation
from mlc.pipelines.instrumentation.base import Instrumentations as Instrumentations
from mlc.pipelines.instrumentation.base import describe_op as describe_op
from mlc.pipelines.instrumentation.ir_printing import ALL_PASSES as ALL_PASSES
from mlc.pipelines.instrumentation.ir_printing import IRPrinting as IRPrinting
from mlc.pipelines.instrumentation.measures import PassSeconds as PassSeconds
from mlc.pipelines.instrumentation.measures import Timing as Timing
