/** Variables whose values are computed. */
import { entryOf } from '../../../../src/text/entry-of.js'
import { printCommand } from '../print-command.js'
import type { Shell } from './shell.js'

interface DynamicVariable {
  read(shell: Shell): string | readonly string[]
  /** Without it an assignment replaces the variable by an ordinary one. */
  assign?(shell: Shell, text: string): void
}

const variables: Readonly<Record<string, DynamicVariable>> = {
  RANDOM: {
    read: (shell) => String(nextRandom(shell)),
    assign(shell, text) {
      shell.session.seed = Number.parseInt(text, 10) || 0
    },
  },
  SRANDOM: { read: ({ run }) => String(Math.floor(run.random() * 2 ** 32)) },
  SECONDS: {
    read: ({ run, secondsStart }) => String(Math.floor((run.now() - secondsStart) / 1000)),
    assign(shell, text) {
      shell.secondsStart = shell.run.now() - (Number.parseInt(text, 10) || 0) * 1000
    },
  },
  EPOCHSECONDS: { read: ({ run }) => String(Math.floor(run.now() / 1000)), assign() {} },
  EPOCHREALTIME: { read: ({ run }) => (run.now() / 1000).toFixed(6), assign() {} },
  BASH_COMMAND: {
    read: ({ command }) => (typeof command === 'object' ? printCommand(command) : (command ?? '')),
    assign() {},
  },
  LINENO: { read: ({ line }) => String(line), assign() {} },
  BASHPID: { read: ({ pid }) => String(pid), assign() {} },
  BASH_SUBSHELL: { read: ({ level }) => String(level), assign() {} },
  PIPESTATUS: { read: ({ pipeStatus }) => pipeStatus.map(String), assign() {} },
  FUNCNAME: { read: (shell) => frames(shell).names, assign() {} },
  BASH_SOURCE: { read: (shell) => frames(shell).sources, assign() {} },
  BASH_LINENO: { read: (shell) => frames(shell).lines, assign() {} },
  DIRSTACK: { read: ({ directory, directories }) => [directory, ...directories], assign() {} },
  GROUPS: { read: () => ['1000'], assign() {} },
  SHELLOPTS: { read: ({ options }) => options.names('set').join(':') },
  BASHOPTS: { read: ({ options }) => options.names('shopt').join(':') },
}

export const dynamicNames: readonly string[] = Object.keys(variables)

export function readDynamic(shell: Shell, name: string): string | readonly string[] {
  return entryOf(variables, name)?.read(shell) ?? ''
}

/** False when the variable is to be an ordinary one from now on. */
export function assignDynamic(shell: Shell, name: string, text: string): boolean {
  const assign = entryOf(variables, name)?.assign
  assign?.(shell, text)
  return assign !== undefined
}

/** The generator of bash is not repeated: the numbers come from the host. */
function nextRandom(shell: Shell): number {
  const { session } = shell
  if (session.seed === undefined) return Math.floor(session.run.random() * 32768)
  session.seed = (Math.imul(session.seed, 1103515245) + 12345) >>> 0
  return (session.seed >>> 16) & 0x7fff
}

function frames(shell: Shell): { names: string[]; sources: string[]; lines: string[] } {
  const names: string[] = []
  const sources: string[] = []
  const lines: string[] = []
  for (let frame = shell.frame; frame; frame = frame.below) {
    names.push(frame.name)
    sources.push(frame.source)
    lines.push(String(frame.line))
  }
  if (shell.mainSource !== 'environment') {
    names.push('main')
    sources.push(shell.mainSource)
    lines.push('0')
  }
  const hasFunction = shell.frame !== undefined && names.some((name) => name !== 'main' && name !== 'source')
  return { names: hasFunction ? names : [], sources, lines }
}
