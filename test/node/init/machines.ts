/** Machines in memory: the three systems, with the directories that each client makes. */
import { posix, win32 } from 'node:path'
import { clients, type Machine } from '../../../node/init/clients.js'
import type { InitRequest, Surroundings } from '../../../node/init/init.js'

export const machines = {
  Linux: { platform: 'linux', home: '/home/ann', env: {} },
  macOS: { platform: 'darwin', home: '/Users/ann', env: {} },
  Windows: { platform: 'win32', home: 'C:\\Users\\Ann', env: { APPDATA: 'C:\\Users\\Ann\\AppData\\Roaming' } },
} as const satisfies Record<string, Machine>

export interface MemoryMachine extends Surroundings {
  files: Map<string, string>
  shown(): string
  questions: string[]
}

/** `answers` are given in turn; without any, nobody can be asked. */
export function machineWith(machine: Machine, given: Record<string, string>, answers?: boolean[]): MemoryMachine {
  const files = new Map(Object.entries(given))
  const { join } = machine.platform === 'win32' ? win32 : posix
  const questions: string[] = []
  let shown = ''
  return {
    ...machine,
    files,
    questions,
    shown: () => shown,
    read: async (file) => files.get(file),
    write: async (file, text) => void files.set(file, text),
    remove: async (file) => void files.delete(file),
    hasDirectory: async (directory) =>
      [...files.keys()].some((file) => file.startsWith(join(directory, ' ').trimEnd())),
    show: (text) => {
      shown += text
    },
    ...(answers && {
      ask: async (question: string) => {
        questions.push(question)
        return answers.shift() ?? false
      },
    }),
  }
}

export const server = { command: '/usr/bin/node', args: ['/opt/polyfs/dist/node/cli.js', '/home/ann/project'] }

export function request(given: Partial<InitRequest> = {}): InitRequest {
  return { clients: [], server, name: 'files', remove: false, dryRun: false, yes: true, ...given }
}

export function clientCalled(name: string) {
  const client = clients.find((each) => each.name === name)
  if (client === undefined) throw new Error(`no client is called ${name}`)
  return client
}
