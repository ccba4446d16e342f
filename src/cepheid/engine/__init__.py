"""The engine: the same in process, in a task of Spark, and in a step of a stream.

Takes: programs, and the columns of events.
Gives: result tables.
May import: errors, language, analysis, plan, program, kernels; no Spark. `process` < `events` <
    `matches` < `trends` < `shared` < the files of this folder.
"""
