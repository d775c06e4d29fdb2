/** Holds the directory listed last and its parents open for a moment: a walk lists an entry of one of them next. */

interface Step {
  readonly name: string
  readonly descriptor: number
}

/** Short, so that an open handle does not block others, such as an unmount. Afterwards the path is opened and checked again. */
const heldMs = 50

export function directoryDescent(how: {
  /** Opens the start directory, and checks that no link leads there. */
  openStart(): number
  /** Opens an entry of an open directory; fails for a link. */
  openIn(above: number, name: string): number
  close(descriptor: number): void
}) {
  const steps: Step[] = []
  let timer: NodeJS.Timeout | undefined

  function keep(count: number): void {
    while (steps.length > count) how.close(steps.pop()!.descriptor)
  }

  function forget(): void {
    clearTimeout(timer)
    timer = undefined
    keep(0)
  }

  return {
    /** The descriptor of the directory that these names lead to, valid until the next call. */
    to(names: readonly string[]): number {
      let known = 1
      while (known <= names.length && steps[known]?.name === names[known - 1]) known += 1
      keep(known)
      if (steps.length === 0) steps.push({ name: '', descriptor: how.openStart() })
      for (let i = steps.length - 1; i < names.length; i += 1) {
        const name = names[i] as string
        steps.push({ name, descriptor: how.openIn(steps[i]!.descriptor, name) })
      }
      timer ??= setTimeout(forget, heldMs).unref()
      return steps[names.length]!.descriptor
    },
    /** Closes all. */
    forget,
  }
}
