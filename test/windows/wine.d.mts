import type { Socket } from 'node:net'

export interface Windows {
  start(program: { args: readonly string[]; cwd: string; env?: Readonly<Record<string, string>> }): Promise<Socket>
  close(): Promise<void>
}
export function startWindows(): Promise<Windows>
export function toWindows(path: string): string
