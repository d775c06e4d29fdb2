import { basename, dirname } from '../../src/fs/path.js'
import { checkVirtual, type Place } from './anchor.js'

export type Beside = Pick<Place, 'entry' | 'parent'>

/** The host path of another entry in the same directory; undefined for one elsewhere. */
export function beside(virtual: string, place: Place, other: string): Beside | undefined {
  if (dirname(virtual) !== dirname(other) || other === '/') return undefined
  checkVirtual(other)
  return { entry: `${place.parent}/${basename(other)}`, parent: place.parent }
}
