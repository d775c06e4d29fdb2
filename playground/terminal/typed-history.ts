/** The commands that were typed: walked through, searched, and kept for the tab. */

export interface TypedHistory {
  readonly length: number
  add(text: string): void
  /** The command before the one that is shown; `typed` comes back after the newest. */
  older(typed: string): string | undefined
  newer(): string | undefined
  /** The newest one with this part, at most as new as `from`. */
  find(part: string, from: number): { index: number; text: string } | undefined
  /** Goes on from the one with this index. */
  goTo(index: number): void
}

const maxCommands = 500
const maxUnits = 200_000

/** `key`: where it is kept in the tab's storage. */
export function typedHistory(key: string): TypedHistory {
  const commands = stored(key)
  let index = commands.length
  let draft = ''

  function keep(): void {
    let units = 0
    let first = commands.length
    while (first > 0 && commands.length - first < maxCommands) {
      units += commands[first - 1]?.length ?? 0
      if (units > maxUnits) break
      first -= 1
    }
    commands.splice(0, first)
    try {
      sessionStorage.setItem(key, JSON.stringify(commands))
    } catch {
      // No space: they last until a reload.
    }
  }

  return {
    get length() {
      return commands.length
    },
    add(text) {
      if (text.trim() !== '' && commands.at(-1) !== text) {
        commands.push(text)
        keep()
      }
      index = commands.length
    },
    older(typed) {
      if (index === 0) return undefined
      if (index === commands.length) draft = typed
      index -= 1
      return commands[index]
    },
    newer() {
      if (index === commands.length) return undefined
      index += 1
      return commands[index] ?? draft
    },
    find(part, from) {
      for (let at = Math.min(from, commands.length - 1); at >= 0; at -= 1) {
        const text = commands[at] as string
        if (text.includes(part)) return { index: at, text }
      }
      return undefined
    },
    goTo(to) {
      index = Math.min(to, commands.length)
    },
  }
}

function stored(key: string): string[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]')
    return Array.isArray(found) ? found.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}
