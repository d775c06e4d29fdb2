/** The directories on the way to the one listed last, held open for a moment: a walk lists next what lies in one of them. */

interface Step {
  readonly name: string
  readonly descriptor: number
}

/** So short that nobody waits for us to let go of a directory. Then the way is made anew, and sure of again. */
const heldMs = 50

export function directoryDescent(how: {
  /** Opens where the way starts, for certain. */
  openStart(): number
  /** Opens what lies in a directory that is held; fails for a link. */
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
    /** The descriptor of the directory that these names lead to, good until the next is asked for. */
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
    /** Lets go of all. */
    forget,
  }
}
