import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { emulatedShell } from '../../../web/engine/emulated-shell.js'
import recorded from '../../data/shell/corpus.json' with { type: 'json' }
import known from '../../data/shell/known-differences.json' with { type: 'json' }
import { sample } from '../../scale.js'
import { corpusDirectory, corpusEnvironment, corpusOf, describeCorpus } from '../../shell-corpus.js'

const shell = emulatedShell()
const corpus = corpusOf(recorded, known.corpus)

describeCorpus(
  'of the corpus in a page',
  { ...corpus, cases: sample(corpus.cases, { every: 32 }) },
  async (command, fs) => {
    const workspace = createWorkspace({ fs, shell })
    const request = {
      command,
      cwd: corpusDirectory,
      env: corpusEnvironment,
      timeoutMs: 120_000,
      maxStreamBytes: 1 << 26,
    }
    const ran = await workspace.shell?.exec(request)
    if (ran === undefined) throw new Error('the workspace has no shell')
    return { stdout: ran.stdout.bytes, stderr: ran.stderr.bytes, exitCode: ran.exitCode }
  },
)
