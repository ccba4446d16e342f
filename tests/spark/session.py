"""One local Spark session for all tests that need it."""

import os
import sys
from functools import cache

from pyspark.sql import SparkSession


@cache
def spark_session() -> SparkSession:
    # Workers must run the interpreter of the tests, not the first python3 on the path.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("cepheid-tests")
    settings = {
        "spark.ui.enabled": "false",  # no port, no pages
        "spark.driver.host": "127.0.0.1",  # stay on loopback whatever the host name resolves to
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "3",  # more than one task, but few: data is tiny
        "spark.sql.adaptive.enabled": "false",  # keep three tasks, so that partitioning is tested
        # Hundreds of tiny plans: compiling code for each costs more than interpreting it.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": os.path.join(os.environ.get("TMPDIR", "/tmp"), "cepheid-tests"),
        "spark.log.level": "ERROR",
        # What Cepheid sets in its own sessions; the suite is quicker by it.
        "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
        "spark.python.unix.domain.socket.enabled": "true",
        # The quick compiler only: it halves the time that tests take in the JVM.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
