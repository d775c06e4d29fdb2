import { createHash } from 'node:crypto'
import type { EpisodeJob } from '../../../harness/run-types.js'

const maxLength = 60

/**
 * The name of the file for a trace: `task.agent.trial.jsonl`. Ids that are not safe names on every disk get a hash, so that different
 * ids have different names, on disks that ignore case too.
 */
export function traceName({ task, agent, trial }: Pick<EpisodeJob, 'task' | 'agent' | 'trial'>): string {
  return `${safe(task)}.${safe(agent)}.${trial}.jsonl`
}

function safe(id: string): string {
  const isSafe = /^[a-z0-9][a-z0-9_-]*$/.test(id) && id.length <= maxLength && !reserved.test(id)
  if (isSafe) return id
  const readable = id.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, maxLength - 17)
  // Bytes of UTF-16: as UTF-8, all lone surrogates would be the same.
  const hash = createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('hex').slice(0, 16)
  return `${readable}~${hash}`
}

/** Devices on Windows, whatever follows the first dot. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/
