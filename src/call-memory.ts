/** What calls leave for later calls of the same workspace, such as shell sessions. */

/** One kind of state. `Host` is the workspace. */
export interface StateKind<State, Host> {
  create(host: Host): State
  /** For a workspace that goes on from the same point. */
  copy(state: State, host: Host): State
}

export interface CallMemory<Host> {
  /** The state of one connection or, without an owner, of the workspace. */
  of<State>(kind: StateKind<State, Host>, host: Host, owner?: object): State
  /** A copy for another workspace, with the connections that take the place of others. */
  copy(host: Host, owners?: ReadonlyMap<object, object>): CallMemory<Host>
}

type States<Host> = Map<StateKind<unknown, Host>, unknown>

export function callMemory<Host>(ofWorkspace: States<Host> = new Map(), given: Owned<Host> = []): CallMemory<Host> {
  /** They end with their connections. */
  let ofOwners: WeakMap<object, States<Host>> | undefined = given.length > 0 ? new WeakMap(given) : undefined

  function statesOf(owner: object | undefined): States<Host> {
    if (owner === undefined) return ofWorkspace
    ofOwners ??= new WeakMap()
    const states = ofOwners.get(owner) ?? new Map()
    ofOwners.set(owner, states)
    return states
  }

  return {
    of<State>(kind: StateKind<State, Host>, host: Host, owner?: object): State {
      const states = statesOf(owner)
      const key = kind as StateKind<unknown, Host>
      if (!states.has(key)) states.set(key, kind.create(host))
      // Only states of this kind are set under it.
      return states.get(key) as State
    },

    copy(host, owners = new Map()) {
      const owned = [...owners].flatMap(([from, to]) => {
        const states = ofOwners?.get(from)
        return states === undefined ? [] : [[to, copied(states, host)] as const]
      })
      return callMemory(copied(ofWorkspace, host), owned)
    },
  }
}

type Owned<Host> = readonly (readonly [object, States<Host>])[]

function copied<Host>(states: States<Host>, host: Host): States<Host> {
  return new Map([...states].map(([kind, state]) => [kind, kind.copy(state, host)]))
}
