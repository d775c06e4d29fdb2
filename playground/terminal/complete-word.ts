/** Tab completion in the terminal: commands at the start, else paths. */
import { join } from '../../src/fs/path.js'
import type { App } from '../page/app.js'
import type { Completion } from './line-editor.js'

export function wordCompleter(app: App, cwd: () => string): (before: string) => Promise<Completion> {
  let commands: Promise<string[]> | undefined
  app.on('opened', () => {
    commands = undefined
  })

  /** The shell knows its commands; they are asked for once. */
  function knownCommands(): Promise<string[]> {
    commands ??= app.workspace.files
      .terminal('compgen -c')
      .then(({ stdout }) => stdout.split('\n').filter((name) => /^[\w.-]+$/.test(name)))
    return commands
  }

  async function paths(word: string): Promise<string[]> {
    const typed = unquoted(word)
    const slash = typed.lastIndexOf('/') + 1
    const [above, name] = [typed.slice(0, slash), typed.slice(slash)]
    const path = above.startsWith('/') ? above : join(cwd(), above || '.')
    const { entries } = await app.workspace.files.run('listDirectory', { path })
    return entries
      .filter((entry) => entry.name.startsWith(name) && (name.startsWith('.') || !entry.name.startsWith('.')))
      .map((entry) => `${quoted(above + entry.name)}${entry.kind === 'directory' ? '/' : ''}`)
      .sort()
  }

  return async (before) => {
    const word = /(?:\\.|[^\s;&|<>()\\])*$/.exec(before)?.[0] ?? ''
    const start = before.length - word.length
    const isCommand = /(^|[;&|(\n])\s*$/.test(before.slice(0, start)) && !word.includes('/')
    const found = await Promise.all([
      isCommand ? knownCommands().then((names) => names.filter((name) => name.startsWith(word))) : [],
      isCommand && word === '' ? [] : paths(word).catch(() => []),
    ])
    return { start, words: [...new Set(found.flat())] }
  }
}

function unquoted(word: string): string {
  return word.replace(/\\(.)/g, '$1')
}

/** With a backslash before every character that means something to the shell. */
function quoted(path: string): string {
  return path.replace(/[\s"'\\$`!*?[\](){}<>|&;#~]/g, '\\$&')
}
