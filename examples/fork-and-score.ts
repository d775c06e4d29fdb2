/** A harness: several attempts at one task, each on a fork of the same tree, scored by what they left there. */
import { createWorkspace, memory, overlay, type ToolSet, tools } from 'polyfs'
import { readText } from 'polyfs/operations'

const task = memory({
  'sum.js': 'export const sum = (a, b) => a - b\n',
  'README.md': '# Sum\n\nAdds two numbers.\n',
})

/** Stand-ins for models: each is given the tools and does what it thinks is right. */
const attempts: Record<string, (set: ToolSet) => Promise<unknown>> = {
  careful: ({ call }) => call('edit_file', { path: 'sum.js', old_string: 'a - b', new_string: 'a + b' }),
  careless: ({ call }) => call('write_file', { path: 'sum.js', content: 'export const sum = 3\n' }),
  lost: ({ call }) => call('edit_file', { path: 'add.js', old_string: '-', new_string: '+' }),
}

for (const [name, attempt] of Object.entries(attempts)) {
  // A fork costs nothing until it is written to, and nothing reaches the tree below it.
  const fork = overlay(task, memory())
  const workspace = createWorkspace({ fs: fork })
  await attempt(tools(workspace))
  const { lines } = await workspace.run(readText, { path: 'sum.js' })
  const changed = (await fork.changes()).map(({ path, change }) => `${change} ${path}`)
  console.log(`${name}: ${score(lines.join('\n'))} of 2, ${changed.join() || 'nothing changed'}`)
}

/** One point for a function that is still there, one for the right result. */
function score(code: string): number {
  const body = /=> (.*)/.exec(code)?.[1]
  return body === undefined ? 0 : body === 'a + b' ? 2 : 1
}
