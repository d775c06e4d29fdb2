/** Commands that agents expect and just-bash lacks, or lacks in a browser, or has in a way that hides a failure. */
import type { Command } from '../emulated/just-bash.js'
import type { RemoteFiles } from '../emulated/remote-files.js'
import { exactly } from './printf.js'
import { rm } from './rm.js'

export function ownCommands(files: RemoteFiles): Command[] {
  return [rm(files), exactly('printf'), exactly('echo')]
}
