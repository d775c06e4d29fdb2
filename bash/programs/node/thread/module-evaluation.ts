/** Runs modules in the order that the language has for them, also those that wait and those in circles: the algorithm of its specification. */

export interface Evaluated {
  requests: Evaluated[]
  /** It waits at its top level. */
  awaits: boolean
  /** Runs what is left of it. */
  execute(): unknown
  state: 'new' | 'linked' | 'running' | 'waiting' | 'done'
  failure?: { error: unknown }
  /** Where it is in the search, and the first that it leads back to. */
  index: number
  back: number
  /** The first of its circle that was reached. */
  root?: Evaluated
  /** Of those that wait, or wait for others: when they began to. */
  order?: number | undefined
  pending: number
  parents: Evaluated[]
  settled?: Settled
}

interface Settled {
  promise: Promise<void>
  resolve(): void
  reject(error: unknown): void
}

let orders = 0

/** A promise if something waits. What failed is thrown. */
export function evaluate(given: Evaluated): Promise<void> | undefined {
  const module = given.state === 'waiting' || given.state === 'done' ? (given.root ?? given) : given
  if (module.failure !== undefined) throw module.failure.error
  if (module.settled !== undefined) return module.state === 'done' ? undefined : module.settled.promise
  const stack: Evaluated[] = []
  try {
    visit(module, stack, 0)
  } catch (error) {
    for (const each of stack) {
      each.state = 'done'
      each.failure = { error }
    }
    throw error
  }
  if (module.order === undefined) return undefined
  module.settled = settledLater()
  return module.settled.promise
}

function visit(module: Evaluated, stack: Evaluated[], start: number): number {
  if (module.state === 'waiting' || module.state === 'done') {
    if (module.failure !== undefined) throw module.failure.error
    return start
  }
  if (module.state === 'running') return start
  module.state = 'running'
  module.index = start
  module.back = start
  module.pending = 0
  let index = start + 1
  stack.push(module)
  for (const each of module.requests) {
    index = visit(each, stack, index)
    let needed = each
    if (needed.state === 'running') module.back = Math.min(module.back, needed.back)
    else {
      needed = needed.root ?? needed
      if (needed.failure !== undefined) throw needed.failure.error
    }
    if (needed.order === undefined) continue
    module.pending += 1
    needed.parents.push(module)
  }
  if (module.pending > 0 || module.awaits) {
    orders += 1
    module.order = orders
    if (module.pending === 0) executeLater(module)
  } else module.execute()
  if (module.back === module.index) leaveCircle(module, stack)
  return index
}

function leaveCircle(root: Evaluated, stack: Evaluated[]): void {
  for (;;) {
    const each = stack.pop() as Evaluated
    each.state = each.order === undefined ? 'done' : 'waiting'
    each.root = root
    if (each === root) return
  }
}

function executeLater(module: Evaluated): void {
  const ended = module.execute() as Promise<unknown>
  ended.then(
    () => fulfilled(module),
    (error) => rejected(module, error),
  )
}

/** Others that waited for nothing else run now, in the order in which they began to wait. */
function fulfilled(module: Evaluated): void {
  if (module.state === 'done') return
  finish(module)
  const ready: Evaluated[] = []
  gather(module, ready)
  ready.sort((one, other) => (one.order ?? 0) - (other.order ?? 0))
  for (const each of ready) {
    if (each.state === 'done') continue
    if (each.awaits) {
      executeLater(each)
      continue
    }
    try {
      each.execute()
    } catch (error) {
      rejected(each, error)
      continue
    }
    finish(each)
  }
}

function finish(module: Evaluated): void {
  module.order = undefined
  module.state = 'done'
  module.settled?.resolve()
}

function gather(module: Evaluated, ready: Evaluated[]): void {
  for (const parent of module.parents) {
    if (ready.includes(parent) || (parent.root ?? parent).failure !== undefined) continue
    parent.pending -= 1
    if (parent.pending > 0) continue
    ready.push(parent)
    if (!parent.awaits) gather(parent, ready)
  }
}

function rejected(module: Evaluated, error: unknown): void {
  if (module.state === 'done') return
  module.failure = { error }
  module.state = 'done'
  module.order = undefined
  for (const parent of module.parents) rejected(parent, error)
  module.settled?.reject(error)
}

function settledLater(): Settled {
  let resolve = () => {}
  let reject: Settled['reject'] = () => {}
  const promise = new Promise<void>((done, fail) => {
    resolve = done
    reject = fail
  })
  return { promise, resolve: () => resolve(), reject: (error) => reject(error) }
}
