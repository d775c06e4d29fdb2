/** An operation of one's own, and a dialect that offers it beside tools that exist. */
import { createWorkspace, type Dialect, memory, polyfs, tools } from 'polyfs'
import { project, selectTools } from 'polyfs/dialect'
import { findFiles, operation, readText } from 'polyfs/operations'
import * as z from 'zod'

/** The operation knows no tool and no wording: it takes neutral input and returns a structured result. */
const countWords = operation({
  mutates: false,
  input: z.object({ include: z.array(z.string()).default(['**/*.md']) }),

  async run({ include }, workspace): Promise<{ path: string; words: number }[]> {
    const { entries } = await workspace.run(findFiles, { include })
    const counts = []
    for (const { path } of entries) {
      const { lines } = await workspace.run(readText, { path })
      counts.push({ path, words: lines.join(' ').split(/\s+/).filter(Boolean).length })
    }
    return counts
  },
})

/** The tool gives it a name, parameters and a layout. */
const wordCount = project(countWords, {
  name: 'word_count',
  title: 'Count words',
  description: 'Counts the words of all files that match a glob.',
  annotations: { readOnlyHint: true },
  input: z.object({ glob: z.string().optional() }),
  toOp: ({ glob }) => (glob === undefined ? {} : { include: [glob] }),
  print: (counts) => counts.map(({ path, words }) => `${words} ${path}`).join('\n'),
})

const dialect: Dialect = { ...polyfs, tools: [...selectTools(polyfs, 'read').tools, wordCount] }

const workspace = createWorkspace({ fs: memory({ 'a.md': 'one two\n', 'docs/b.md': 'three\n', 'c.txt': 'four\n' }) })
const set = tools(workspace, { dialect })
console.log(set.definitions.map(({ name }) => name).join(' '))
console.log(await set.callText('word_count', {}))
console.log(await set.callText('word_count', { glob: 7 }))
