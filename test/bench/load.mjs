/** Bundles the current sources for the benchmarks. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const project = fileURLToPath(new URL('../..', import.meta.url))

const names = {
  'node/shell/emulated-shell.ts': ['emulatedShell'],
  'node/shell/layers/real-shell.ts': ['realShell', 'realShellFault'],
  'node/shell/node-shell.ts': ['nodeShell'],
  'node/shell/sandbox/sandbox.ts': ['openSandbox'],
  'node/workspace/directory-workspace.ts': ['openDirectories'],
  'node/workspace/unstorage.ts': ['openStore'],
  'src/archive/read-archive.ts': ['readArchive'],
  'src/archive/write-archive.ts': ['writeArchive'],
  'src/dialects/clarvis/tools.ts': ['clarvis'],
  'src/dialects/polyfs/tools.ts': ['polyfs'],
  'src/tools/call-tool.ts': ['callTool'],
  'src/change/journal/key-value-journal.ts': ['keyValueJournal'],
  'src/change/journal/sqlite-journal.ts': ['sqliteJournal'],
  'src/change/locks/locks.ts': ['nestedLocks', 'processLocks'],
  'src/fs/backends/key-value/file-system.ts': ['keyValue'],
  'src/fs/backends/key-value/lock.ts': ['keyValueLock'],
  'src/fs/backends/memory.ts': ['memory'],
  'src/fs/backends/sqlite/adapters.ts': ['fromNodeSqlite', 'fromSqlJs'],
  'src/fs/backends/sqlite/workspaces.ts': ['sqliteWorkspaces'],
  'harness/episode/episode.ts': ['openEpisode'],
  'src/ops/apply-patch.ts': ['applyPatch'],
  'src/ops/archive/create-archive.ts': ['createArchive'],
  'src/ops/copy-entry.ts': ['copyEntry'],
  'src/ops/delete-entry.ts': ['deleteEntry'],
  'src/ops/edit-text.ts': ['editText'],
  'src/ops/archive/extract-archive.ts': ['extractArchive'],
  'src/ops/find-files.ts': ['findFiles'],
  'src/ops/git/add.ts': ['gitAdd'],
  'src/ops/git/checkout.ts': ['gitCheckout'],
  'src/ops/git/commit.ts': ['gitCommit'],
  'src/ops/git/diff.ts': ['gitDiff'],
  'src/ops/git/init.ts': ['gitInit'],
  'src/ops/git/log.ts': ['gitLog'],
  'src/ops/git/status.ts': ['gitStatus'],
  'src/ops/history/change-history.ts': ['undoChange'],
  'src/ops/read-text.ts': ['readText'],
  'src/ops/search-text.ts': ['searchText'],
  'src/text/patch/apply-hunks.ts': ['hunkSpans'],
  'src/text/decode/document.ts': ['encodeReplaced', 'openText'],
  'src/text/edit/edit.ts': ['applyEdits'],
  'src/text/diff/unified-diff.ts': ['unifiedDiff'],
  'src/text/patch/unified-patch.ts': ['parseUnifiedPatch'],
  'src/workspace/create-workspace.ts': ['createWorkspace'],
}

/** What Vite does in a build: `?raw` after the name of a file imports its text. */
const textOfFiles = {
  name: 'text-of-files',
  resolveId: (id, importer) => (id.endsWith('?raw') ? path.resolve(path.dirname(importer), id) : null),
  load: (id) =>
    id.endsWith('?raw') ? `export default ${JSON.stringify(fs.readFileSync(id.slice(0, -4), 'utf8'))}` : null,
}

/** The functions that benchmarks call, and the path of the bundle. */
export async function load() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-'))
  const entry = path.join(directory, 'entry.ts')
  const lines = Object.entries(names).map(
    ([file, exported]) => `export { ${exported.join(', ')} } from ${JSON.stringify(path.join(project, file))}`,
  )
  fs.writeFileSync(entry, lines.join('\n'))
  const bundle = await rolldown({
    input: {
      index: entry,
      'search-worker': path.join(project, 'node/threads/search-worker.ts'),
      'emulated-worker': path.join(project, 'node/shell/emulated-worker.ts'),
    },
    platform: 'node',
    logLevel: 'silent',
    plugins: [textOfFiles],
    resolve: { modules: [path.join(project, 'node_modules')] },
  })
  const file = path.join(directory, 'index.js')
  fs.writeFileSync(path.join(directory, 'package.json'), '{ "type": "module" }')
  await bundle.write({ dir: directory, format: 'esm', chunkFileNames: '[name]-[hash].js' })
  const worker = path.join(directory, 'search-worker.js')
  const commandWorker = path.join(directory, 'emulated-worker.js')
  const ours = await import(pathToFileURL(file).href)
  return { ...ours, file, worker, commandWorker, remove: () => fs.rmSync(directory, { recursive: true, force: true }) }
}
