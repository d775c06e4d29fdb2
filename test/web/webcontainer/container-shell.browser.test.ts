import { type ShellDeviations, shellCases } from '../../../contract/shell/index.js'
import { describeShellContract } from '../../describe-shell-contract.js'
import { sample } from '../../scale.js'
import { bootFromStandIn } from './boot.js'

const asText = 'a terminal carries text, and control characters are left out of it'
const onThisThread =
  'the shell of the stand-in runs on the thread of the page, which an endless loop blocks; see webcontainer.browser.test.ts'
const atTheEnd = 'the shell of the stand-in writes when it has ended; see webcontainer.browser.test.ts'
const noTrap =
  'the shell of the stand-in has no trap, so an exit is not reported; one that has is tried in webcontainer-state.test.ts'

const deviations: ShellDeviations = {
  'every byte passes as it is': asText,
  'bytes of a file pass as they are': asText,
  'what is given can be bytes, and much': asText,
  'output past the limit ends the command, where that is asked for': onThisThread,
  'a command that computes too long is ended': onThisThread,
  'a command that sleeps too long is ended': atTheEnd,
  'a command is ended from outside in the middle': atTheEnd,
  'a command is ended from outside once it has printed something, and the next one runs': atTheEnd,
  'a computation is ended from outside in the middle': onThisThread,
  'a job is stopped once it has printed something, and keeps what it did': atTheEnd,
  'output is reported as it comes': atTheEnd,
  'the output of a job can be read while it runs': atTheEnd,
  'a redirection into a directory that is not there is a failure':
    'the shell of the stand-in ends the whole command at such a redirection',
  'a session keeps what a command did before its own exit, and its code': noTrap,
  'a session keeps what a command did before it failed with set -e or set -u': noTrap,
  'a session keeps what a command with a trap on EXIT did': noTrap,
  'an existing file is replaced by a move and by a copy':
    'the shell of the stand-in can not tell whether two files are the same',
  'a trap on EXIT is run at the end, however that comes': 'the shell of the stand-in has no trap',
}

describeShellContract(
  'a container, from a stand-in of its host,',
  async () => {
    const { fs, shell: container } = await bootFromStandIn()
    // The stand-in's shell is a bash.
    const shell = { ...container, capabilities: { ...container.capabilities, posix: true } }
    return { fs, shell, base: `/${crypto.randomUUID()}` }
  },
  { deviations, cases: sample(shellCases, { every: 3 }) },
)
