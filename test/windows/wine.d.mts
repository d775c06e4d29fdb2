import type { Duplex } from 'node:stream'

export interface Windows {
  start(program: { args: readonly string[]; cwd: string; env?: Readonly<Record<string, string>> }): Promise<Duplex>
  crashes(): number
  close(): Promise<void>
}
export function startWindows(): Promise<Windows>
export function toWindows(path: string): string
