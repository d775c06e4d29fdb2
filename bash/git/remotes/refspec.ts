/** Refspecs: `+refs/heads/*:refs/remotes/origin/*` and their short forms. */
export interface Refspec {
  isForced: boolean
  from: string
  /** Undefined without a colon. */
  to: string | undefined
}

export function parseRefspec(text: string): Refspec {
  const isForced = text.startsWith('+')
  const rest = isForced ? text.slice(1) : text
  const colon = rest.indexOf(':')
  return colon === -1
    ? { isForced, from: rest, to: undefined }
    : { isForced, from: rest.slice(0, colon), to: rest.slice(colon + 1) }
}

/** Where a ref goes by a refspec with `*`, or one that names it; undefined when it is not meant. */
export function mapped({ from, to }: Refspec, name: string): string | undefined {
  if (to === undefined) return undefined
  const star = from.indexOf('*')
  if (star === -1) return from === name ? to : undefined
  const [head, tail] = [from.slice(0, star), from.slice(star + 1)]
  if (name.length < head.length + tail.length || !name.startsWith(head) || !name.endsWith(tail)) return undefined
  return to.replace('*', name.slice(head.length, name.length - tail.length))
}

/** The ref that follows another one of the remote. */
export function trackingRef(specs: readonly string[], name: string): string | undefined {
  for (const spec of specs) {
    const to = mapped(parseRefspec(spec), name)
    if (to !== undefined) return to
  }
  return undefined
}

/** A name without `refs/heads/` and the like. */
export function prettyRef(name: string): string {
  return name.replace(/^refs\/(heads|tags|remotes)\//, '')
}

/** The full name that a short one means among those that exist. */
export function matchRef(names: readonly string[], given: string): string | undefined {
  const places = ['', 'refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/']
  return places.map((place) => `${place}${given}`).find((name) => names.includes(name))
}
