/** How a gate does something to a path: it checks the path and tries, and follows links only on meeting one. */
import { isFsError, relocate } from '../../errors.js'
import { type WouldBlock, wouldBlock } from '../sync.js'
import type { Authorizer } from './authorize.js'
import type { PathFollower } from './follow-path.js'

/** What an operation needs: a right, and whether a link at the end of the path is followed or used itself. */
export interface Access {
  right: 'read' | 'write'
  last: 'follow' | 'keep'
}
export const read: Access = { right: 'read', last: 'follow' }
export const readEntry: Access = { right: 'read', last: 'keep' }
export const write: Access = { right: 'write', last: 'follow' }
export const writeEntry: Access = { right: 'write', last: 'keep' }

export interface CheckedAccess {
  /** Checks, tries, and on meeting a link resolves, checks and tries again. `known` says how a path in an error was given. */
  act<Result>(
    given: string,
    access: Access,
    run: (path: string) => Result | Promise<Result>,
    known?: (path: string) => string,
  ): Promise<Result>
  /** Reads in the same way without promises: following a link would block. */
  actSync<Result>(given: string, run: (path: string) => Result | WouldBlock): Result | WouldBlock
}

/** How often a path may change under a call before the call gives up. */
const maxAttempts = 8

/** `resolve` makes of a path from outside one to be checked. */
export function checkedAccess({
  resolve,
  authorize,
  follow,
}: { resolve(path: string): string } & Pick<Authorizer, 'authorize'> & Pick<PathFollower, 'follow'>): CheckedAccess {
  async function act<Result>(
    given: string,
    access: Access,
    run: (path: string) => Result | Promise<Result>,
    known: (path: string) => string = () => given,
  ): Promise<Result> {
    try {
      let path = resolve(given)
      for (let attempt = 1; ; attempt += 1) {
        authorize(path, access.right)
        try {
          return await run(path)
        } catch (error) {
          // A rename has two paths; each call of `act` follows the links of its own.
          const isOurs = isFsError(error, 'IS_LINK') && error.facts.path === path
          if (!isOurs || attempt === maxAttempts) throw error
        }
        path = await follow(path, access.last)
      }
    } catch (error) {
      throw relocate(error, known)
    }
  }

  function actSync<Result>(given: string, run: (path: string) => Result | WouldBlock): Result | WouldBlock {
    try {
      const path = resolve(given)
      authorize(path, 'read')
      return run(path)
    } catch (error) {
      if (isFsError(error, 'IS_LINK')) return wouldBlock
      throw relocate(error, () => given)
    }
  }

  return { act, actSync }
}
