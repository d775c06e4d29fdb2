/** Harbor's way to score: a script that leaves a reward. */
import { isFsError } from '../../../src/errors.js'
import type { MemoryTree } from '../../../src/fs/backends/memory.js'
import { shellQuoted } from '../../../src/text/shell-quoted.js'
import { reasonOf } from '../../infra-error.js'
import type { Episode, Score, ScoredRun, Scorer, Task } from '../../types.js'
import { type Folder, folderOf } from '../folder.js'
import { type CommandRequest, runCommand } from './command.js'
import { freshDirectories, logsDirectory, testsDirectory } from './fresh-directories.js'
import { parseReward } from './reward.js'

export interface TestScriptOptions {
  /** What is put into `/tests`. It is there only while the script runs. */
  tests: MemoryTree | Folder
  /** The script in `/tests`. Default: `test.sh`. */
  script?: string
  env?: Readonly<Record<string, string>>
  /** Default: 10 minutes. */
  timeoutMs?: number
  /** Default: `test.sh`. */
  name?: string
  weight?: number
  gate?: boolean
}

/** How long jobs in the background may go on after the script has ended. */
const jobsMs = 1000
const endMark = 'polyfs-verdict-end'

/**
 * Runs a script of the task in a fork, and reads `/logs/verifier/reward.txt` or `reward.json` at the moment the script ends. No reward, or
 * one that is not a number from 0 to 1, is 0: an agent must not gain by breaking the script.
 */
export function testScript(options: TestScriptOptions): Scorer {
  const { name = options.script ?? 'test.sh', weight, gate } = options
  const common = { ...(weight !== undefined && { weight }), ...(gate && { gate }) }
  return async ({ episode, task }: ScoredRun): Promise<Score[]> => {
    const verdict = await judged(episode, task, options)
    if ('failure' in verdict) return [{ name, value: 0, reason: verdict.failure, ...common }]
    return verdict.rewards.map(({ name: part, value, reason }) => {
      return { name: part === undefined ? name : `${name}: ${part}`, value, reason, ...common }
    })
  }
}

type Verdict = { failure: string } | { rewards: { name?: string; value: number; reason: string }[] }

async function judged(episode: Episode, task: Task, options: TestScriptOptions): Promise<Verdict> {
  const { tests, script = 'test.sh', env = {}, timeoutMs } = options
  try {
    await freshDirectories(episode, task, await folderOf(tests))
  } catch (error) {
    if (!isFsError(error)) throw error
    return { failure: `the tests can't be put into the tree that the agent left: ${reasonOf(error)}` }
  }
  const command = `${emptyScratch}\n${verdictScript(script)}`
  const stdout = await untilVerdict(episode, task, { command, env, ...(timeoutMs !== undefined && { timeoutMs }) })
  const [status = '', kind = '', reward = '', output = '', late, end] = stdout.split('\n')
  if (end !== endMark) return { failure: 'the test script was ended by what it ran' }
  const last = lastLine(decoded(output))
  const said = last === '' ? '' : `; it said: ${last}`
  if (Number(status) > 128) return { failure: `the test script was ended by signal ${Number(status) - 128}${said}` }
  if (late === 'late') return { failure: `something wrote the reward after the test script had ended${said}` }
  if (kind === 'several') return { failure: `there are both reward.txt and reward.json${said}` }
  if (kind === 'odd') return { failure: `the reward is not a plain file that the script could write${said}` }
  if (kind === 'none') return { failure: `the test script left no reward (exit code ${status})${said}` }
  const parsed = parseReward(kind === 'json' ? 'json' : 'text', decoded(reward))
  if ('fault' in parsed) return { failure: `${parsed.fault}${said}` }
  return { rewards: parsed.rewards.map((each) => ({ ...each, reason: last || `exit code ${status}` })) }
}

/** Scratch space of the shell is not part of the tree. */
const emptyScratch = `(
  cd "\${TMPDIR:-/tmp}" 2>/dev/null || exit 0
  chmod -R u+rwx . 2>/dev/null
  find . -mindepth 1 -delete 2>/dev/null
)`

/**
 * Prints lines: exit code, kind of reward, reward, output of the script, whether there was a reward again a moment later, mark. Only this
 * script can write them: the other's output goes to a file. The moment passes on the clock of the episode.
 */
function verdictScript(script: string): string {
  const log = `${logsDirectory}/test-stdout.txt`
  return `bash ${testsDirectory}/${shellQuoted(script)} >${log} 2>&1 </dev/null
echo $?
kind=none
for each in text:txt json:json; do
  reward=${logsDirectory}/reward.\${each#*:}
  if [ ! -e "$reward" ] && [ ! -L "$reward" ]; then continue; fi
  if [ $kind != none ]; then kind=several; break; fi
  if [ ! -f "$reward" ] || [ -L "$reward" ] || [ ! -w "$reward" ]; then kind=odd; break; fi
  kind=\${each%:*}
  file=$reward
done
echo $kind
if [ -n "$file" ]; then head -c 65536 "$file" | base64 -w 0; fi; echo
tail -c 4000 ${log} | base64 -w 0; echo
rm -rf ${logsDirectory}/reward.*; sleep 1
if ls ${logsDirectory} | grep -q '^reward'; then echo late; else echo; fi
echo ${endMark}`
}

/** Jobs that the agent's programs left in the background can't delay the verdict, nor change it any more. */
async function untilVerdict(episode: Episode, task: Task, request: CommandRequest): Promise<string> {
  const stopper = new AbortController()
  let timer: unknown
  let seen = ''
  const decoder = new TextDecoder()
  function onOutput({ stream, bytes }: { stream: string; bytes: Uint8Array }): void {
    if (stream !== 'stdout' || timer !== undefined) return
    seen += decoder.decode(bytes, { stream: true })
    if (seen.endsWith(`\n${endMark}\n`)) timer = setTimeout(() => stopper.abort(), jobsMs)
  }
  try {
    return (await runCommand(episode, task, { ...request, onOutput, signal: stopper.signal })).stdout
  } finally {
    clearTimeout(timer)
  }
}

function decoded(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)))
  } catch {
    return ''
  }
}

function lastLine(text: string): string {
  return (text.trimEnd().split('\n').at(-1) ?? '').trim().slice(0, 300)
}
