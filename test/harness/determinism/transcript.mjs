/** Runs the calls and returns everything that could be seen of them. */
import { calls, files } from './calls.mjs'

/**
 * One episode in which an agent has the tools of all dialects.
 * @param {import('./transcript.mjs').Engine} engine
 */
export async function transcript({ openEpisode, loadDialect, callTool, shell }) {
  const names = [...new Set(calls.map(({ dialect }) => dialect))]
  const dialects = await Promise.all(names.map(loadDialect))
  const tools = dialects.flatMap((dialect) =>
    dialect.tools.map(({ callSync: _, ...tool }) => ({
      ...tool,
      name: `${dialect.name}:${tool.name}`,
      call: (args, workspace, context) => callTool(workspace, dialect, tool.name, args, context),
    })),
  )
  const dialect = { ...dialects[0], name: 'all', tools }
  const episode = await openEpisode({ files: flat(files), dialect, shell })
  for (const { dialect: name, tool, args } of calls) {
    // A dialect may answer with a protocol error, which is in the trace too.
    await episode.tools.call(`${name}:${tool}`, args).catch(() => {})
  }
  if (episode.disturbed !== undefined) throw new Error(episode.disturbed)
  const events = episode.trace.events.map((event) => JSON.stringify({ ...event, wallMs: undefined }))
  const answers = [...events, ...(await tree(episode.workspace.fs, '/'))]
  await episode.close()
  return { answers, hash: episode.trace.transcriptHash() }
}

/** Everything in the tree, with modes, times and contents. */
async function tree(fs, directory) {
  const lines = []
  for (const { name, kind } of await fs.readDir(directory)) {
    const path = directory === '/' ? `/${name}` : `${directory}/${name}`
    const { mode, modifiedMs, size } = await fs.stat(path)
    const content = kind === 'file' ? await sha256(await fs.readFile(path)) : ''
    lines.push(JSON.stringify({ path, kind, mode, modifiedMs, size, content }))
    if (kind === 'directory') lines.push(...(await tree(fs, path)))
  }
  return lines
}

function flat(given) {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, content]) =>
      typeof content === 'string'
        ? [[name, content]]
        : Object.entries(content).map(([inner, text]) => [`${name}${inner}`, text]),
    ),
  )
}

async function sha256(data) {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
