/** Ctrl R: finds earlier commands by a part of them; each further press finds an older one. */
import type { TypedHistory } from './typed-history.js'

export interface HistorySearch {
  /** What is searched for; undefined while nothing is. */
  query(): string | undefined
  /** Begins to search, or goes on to an older command. */
  older(): void
  /** Takes what was found. */
  end(): void
  /** True when the search has used the key. */
  type(data: string): boolean
}

export interface HistorySearchOptions {
  history(): TypedHistory
  /** The search has come further; with the command that it has found, and where in it, if that is another one. */
  onStep(found?: { text: string; cursor: number }): void
}

export const searchKey = '\u0012'

export function historySearch({ history, onStep }: HistorySearchOptions): HistorySearch {
  let search: { query: string; index: number } | undefined

  function find(query: string, from: number): void {
    const found = history().find(query, from)
    if (search) search = { query, index: found?.index ?? search.index }
    onStep(found && { text: found.text, cursor: found.text.indexOf(query) })
  }

  function end(): void {
    if (search === undefined) return
    history().goTo(search.index)
    search = undefined
    onStep()
  }

  return {
    query: () => search?.query,
    older() {
      search ??= { query: '', index: history().length }
      if (search.query !== '') find(search.query, search.index - 1)
      else onStep()
    },
    end,
    type(data) {
      if (search === undefined || data === searchKey) return false
      if (data === '\u007f') {
        find(search.query.slice(0, -1), history().length - 1)
        return true
      }
      if (data === '\u001b' || data === '\u0007') {
        search = undefined
        onStep({ text: '', cursor: 0 })
        return true
      }
      if (data < ' ' || data.length > 1) {
        end()
        return false
      }
      find(search.query + data, search.index)
      return true
    },
  }
}
