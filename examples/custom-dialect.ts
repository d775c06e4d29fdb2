/** A dialect of one's own in 60 lines: the names, parameters and texts that an agent knows, on the operations that exist. */
import { createWorkspace, type Dialect, type FsError, memory, tools } from 'polyfs'
import { project } from 'polyfs/dialect'
import { editText, listDirectory, readText } from 'polyfs/operations'
import * as z from 'zod'

const cat = project(readText, {
  name: 'cat',
  title: 'Print a file',
  description: 'Prints a text file.',
  annotations: { readOnlyHint: true },
  input: z.object({ file: z.string() }),
  toOp: ({ file }) => ({ path: file }),
  print: ({ lines }) => lines.join('\n'),
})

const ls = project(listDirectory, {
  name: 'ls',
  title: 'List a directory',
  description: 'Prints the names in a directory; those of directories end in a slash.',
  annotations: { readOnlyHint: true },
  input: z.object({ directory: z.string().default('.') }),
  toOp: ({ directory }) => ({ path: directory }),
  print: ({ entries }) => entries.map(({ name, kind }) => (kind === 'directory' ? `${name}/` : name)).join(' '),
})

const sed = project(editText, {
  name: 'sed',
  title: 'Replace text',
  description: 'Replaces a text that occurs once in a file.',
  annotations: { readOnlyHint: false },
  input: z.object({ file: z.string(), from: z.string(), to: z.string() }),
  toOp: ({ file, from, to }) => ({ path: file, edits: [{ kind: 'literal' as const, find: from, replace: to }] }),
  print: ({ path }) => `changed ${path}`,
})

/** An error is a code with facts; here is how this dialect says it. */
function wording({ code, facts }: FsError): string {
  const where = 'path' in facts ? ` ${facts.path}` : ''
  if (code === 'NOT_FOUND') return `No such file or directory:${where}`
  if (code === 'OUTSIDE') return `Permission denied:${where}`
  return `${code.toLowerCase().replaceAll('_', ' ')}${where}`
}

const unix: Dialect = {
  name: 'unix',
  instructions: 'Files, with the names of Unix programs.',
  tools: [cat, ls, sed],
  fail: (error, _workspace, { tool }) => ({
    result: { content: [{ type: 'text', text: `${tool}: ${wording(error)}` }], isError: true },
  }),
}

const workspace = createWorkspace({ fs: memory({ 'notes/today.md': 'Water the plants.\n', 'a.txt': 'one\n' }) })
const { callText } = tools(workspace, { dialect: unix }) // serveStdio({ workspace, dialect: unix }) serves it
console.log(await callText('ls', {}))
console.log(await callText('sed', { file: 'notes/today.md', from: 'Water', to: 'Feed' }))
console.log(await callText('cat', { file: 'notes/today.md' }))
console.log(await callText('sed', { file: 'a.txt', from: 'two', to: 'three' }))
console.log(await callText('cat', { file: '../secret' }))
