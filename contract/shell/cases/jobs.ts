import type { ShellCase } from '../types.js'

/** Jobs in the background. */
export const jobCases: ShellCase[] = [
  {
    name: 'a job is looked at until it ends',
    steps: [
      { start: 'echo one; echo two; exit 4', job: 'a' },
      { job: 'a', until: { exitCode: 4 } },
      { job: 'a', until: { output: 'one\ntwo\n' } },
      { jobs: ['over'] },
    ],
  },
  {
    name: 'the output of a job can be read while it runs',
    tree: {},
    steps: [
      { start: 'echo ready; while [ ! -e go ]; do sleep 0.05; done; echo gone', job: 'server' },
      { job: 'server', until: { output: 'ready\n' } },
      { jobs: ['running'] },
      { run: 'echo > go' },
      { job: 'server', until: { output: 'gone\n' } },
      { job: 'server', until: { exitCode: 0 } },
    ],
  },
  {
    name: 'jobs are stopped, and other commands run beside them',
    tree: {},
    steps: [
      { start: 'echo > up1; sleep 600; echo never > never', job: 'one' },
      { start: 'echo > up2; sleep 600', job: 'two', env: { X: '1' } },
      { file: 'up1', content: '\n' },
      { file: 'up2', content: '\n' },
      { run: 'echo beside', stdout: 'beside\n' },
      { stop: 'one' },
      { jobs: ['over', 'running'] },
      { stop: 'two' },
      { jobs: ['over', 'over'] },
      { file: 'never', content: 'absent' },
    ],
  },
  {
    name: 'a job is stopped once it has printed something, and keeps what it did',
    tree: {},
    steps: [
      { start: 'echo kept > kept; echo up; while :; do :; done', job: 'busy' },
      { start: 'echo up; sleep 600; echo never > never', job: 'idle' },
      { job: 'busy', until: { output: 'up\n' } },
      { job: 'idle', until: { output: 'up\n' } },
      { run: 'echo beside', stdout: 'beside\n' },
      { stop: 'busy' },
      { jobs: ['over', 'running'] },
      { stop: 'idle' },
      { jobs: ['over', 'over'] },
    ],
    after: { kept: 'kept\n' },
  },
]
