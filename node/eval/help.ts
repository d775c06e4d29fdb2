/** What `polyfs eval` and its subcommands print with `--help`. */

export const overview = `polyfs eval: run agents on tasks, again and again, and count

Usage: polyfs eval run SUITE... [options]         run an agent on every task
       polyfs eval check SUITE...                 prove that tasks can be solved, and not by doing nothing
       polyfs eval rescore DIR [--suite SUITE]    score the recorded runs again, without the model
       polyfs eval replay TRACE [--until N]       repeat a recorded run and compare every step
       polyfs eval report DIR... [--compare DIR]  show runs, and how they differ from another
       polyfs eval worker --queue URL             run episodes for other machines
       polyfs eval serve SUITE... --http PORT     open, fork and score episodes over HTTP

SUITE is a directory of tasks in Harbor's format, or the folder of one. DIR is the directory of a run.
'polyfs eval SUBCOMMAND --help' shows the options of a subcommand.
`

export const runHelp = `polyfs eval run: run an agent on every task of a suite

Usage: polyfs eval run SUITE... [options]
       polyfs eval run --resume --out DIR

What is run
  SUITE                a directory of tasks, or the folder of one task
  --agent AGENT        who does the tasks (default oracle):
                       oracle           the solution that comes with a task
                       nop              nobody: nothing is done
                       scripted:FILE    the calls in a JSON file, for all tasks or by the id of a task
                       replay:DIR       the calls that another run recorded
                       command:COMMAND  a program that calls tools over MCP at $POLYFS_MCP_URL; the instruction is its input
                       chat             a model with the tools of the episode; needs --model
                       PATH             a JavaScript module that exports an agent as its default
  --model MODEL        for chat: openai:URL#NAME for any compatible server (key in OPENAI_API_KEY), or anthropic:NAME (key
                       in ANTHROPIC_API_KEY)
  --trials K           run every task so often (default 1)
  --seed N             the seed of the first trial; the second has the next (default 1)
  --faults FILE        let files fail by the schedule in this JSON file
  --tier TIER          emulated (default): commands run in the emulated shell and can be repeated to the byte; real: they run the
                       machine's programs in a sandbox, on Linux; traces and reports say so

Limits
  --max-calls N        calls of tools in an episode; replaces what a task allows, as the next two do
  --max-turns N        answers of the model in an episode
  --max-tokens N       tokens of input and output in an episode
  --max-episode-bytes N  what an episode may hold in memory: files beyond those it began with, history and trace (default 256M)
  --price IN,OUT[,CACHED]  what a million tokens of input and of output cost, and of input
                       from a cache; by default as other input
  --max-cost N         start no further episode when all together cost so much; needs --price
  --timeout S          a safety net for tasks without one: an episode that takes longer counts as infra (default 3600)
  --retries N          run an episode again so often when it ends as infra (default 2)

How
  --parallel N         episodes at once (default 4)
  --threads N          spread them over so many threads (default 0: none)
  --queue URL          let workers run the episodes ('polyfs eval worker'), by way of the Redis at redis://HOST:PORT
  --out DIR            where results are written (default polyfs-eval-DATE-TIME)
  --resume             go on with the run in DIR; episodes that have a result are not repeated. Options that are not
                       given are those of the run; one that differs is refused
  --fail-under RATE    exit with 1 when the pass rate is lower, from 0 to 1

Outcomes are passed, failed, budget, agent-error, infra and skipped. infra is missing data: left out of every rate.
DIR gets run.json, results.jsonl, traces/, summary.json, junit.xml and report.html.
Exit codes: 0, 1 below --fail-under, 2 for a mistake in the command or the tasks, 3 when results are missing, 130 after Ctrl-C.
`

export const checkHelp = `polyfs eval check: prove that tasks can be solved, and not by doing nothing

Usage: polyfs eval check SUITE... [--tier emulated|real]

Runs the solution of every task twice, and an agent that does nothing. The solution must score 1, nothing must score 0, and
both runs of the solution must have the same transcript, unless the tier is real. Prints one line for each task.
Exit codes: 0, 1 when a task is not as it should be, 2 for a mistake in the command or the tasks, 3 when results are missing.
`

export const rescoreHelp = `polyfs eval rescore: score recorded runs again, without the model

Usage: polyfs eval rescore DIR [--suite SUITE] [--out FILE]

Repeats the calls of every trace in DIR, checks that each gives what was recorded, and scores what is left with the tasks as
they are now. Prints what changed.

  --suite SUITE        where the tasks are now (default: where the run had them)
  --out FILE           where results are written (default rescored.jsonl in DIR)

Exit codes: 0, 2 for a mistake in the command or the tasks, 3 when a trace could not be repeated.
`

export const replayHelp = `polyfs eval replay: repeat a recorded run and compare every step

Usage: polyfs eval replay TRACE [--until N] [--suite SUITE]

Makes the calls of a trace again, and stops at the first whose result or state differs, with a diff; of a run in the real tier
only states are compared. Prints which files the run has changed.

  --until N            make only the first N calls
  --suite SUITE        where the task is (default: where the run had it, for a trace in the directory of a run)

Exit codes: 0, 1 when a step differs, 2 for a mistake in the command, the trace or the task.
`

export const reportHelp = `polyfs eval report: show runs, and how they differ from another

Usage: polyfs eval report DIR... [--compare DIR] [--html FILE] [--json] [--rescored]

Prints pass rates with 95 % intervals, pass@k, pass^k, coverage and flaky tasks of every run.

  --compare DIR        also print how each run differs from this one, over the tasks of both
  --html FILE          also write a page with all of it
  --json               print JSON instead
  --rescored           use the results that 'polyfs eval rescore' has written
`

export const serveHelp = `polyfs eval serve: open, fork and score episodes over HTTP, for programs in other languages

Usage: polyfs eval serve SUITE... --http [HOST:]PORT [options]

clients/python has a client.

  --http [HOST:]PORT  the address; HOST defaults to 127.0.0.1, and PORT 0 is any free port
  --token-file FILE   require the bearer token in this file, which is created if missing; POLYFS_TOKEN sets a token directly.
                      Off loopback a token is always required: one is generated and printed if none is given
  --allow-host NAMES  other host names under which clients reach the server, such as a proxy's, with commas between
  --max-episodes N    episodes that are open at the same time (default 1000)
  --idle MIN          minutes after which an unused episode is ended (default 30)
  --max-memory-bytes N  what all open episodes together may hold in memory (default 1G)
  --max-episode-bytes N  what one of them may (default 256M, or what its task says)
  --max-calls N       calls in an episode, instead of what its task allows
  --parallel N        commands that run at the same time (default 2), in the emulated tier
  --tier TIER         emulated (default) or real, as for 'polyfs eval run'

  GET    /tasks                       the tasks, with their instructions
  POST   /episodes {task, seed}       opens an episode: its id, instruction and mcpUrl
  POST   /episodes/ID/call {tool, args}         a call of the agent
  POST   /episodes/ID/exec {command, ...}       a command of your own, not recorded
  POST   /episodes/ID/fork {seed}               another episode that goes on from here
  POST   /episodes/ID/score {answer}            scores the current state
  GET    /episodes/ID/{tools,changes,trace}
  GET, PUT /episodes/ID/files/PATH    reads or writes a file, not recorded
  *      /episodes/ID/mcp             the tools over MCP
  DELETE /episodes/ID
`

export const workerHelp = `polyfs eval worker: run episodes for other machines

Usage: polyfs eval worker --queue redis://HOST:PORT [options]

Runs episodes that 'polyfs eval run --queue' puts into the queue, until it is stopped. Suites and agents must be at the same
paths as on the machine of the run. Whoever can write to that Redis decides what a worker runs: give it a password, and keep it private.

  --queue URL         the Redis, such as redis://127.0.0.1:6379 or rediss://USER:PASSWORD@HOST:PORT/DB
  --parallel N        episodes at the same time (default 2)
  --lost-after SEC    a worker that was silent for so long is lost, and others run its episodes; the same for all workers (default 30)
  --until-empty       end when the queue is empty
`
