/** Where something stands in a makefile. `offset`: how many lines of a recipe further. */
export interface Place {
  file: string | undefined
  line: number
  offset: number
}

/** Ends make with a message and status 2. */
export class MakeError extends Error {
  constructor(
    message: string,
    readonly place?: Place | undefined,
  ) {
    super(message)
  }
}

/** Ends make with a status: what happened was said already. */
export class MakeEnded extends Error {
  constructor(readonly status: number) {
    super('make ended')
  }
}

export function placeText(place: Place | undefined): string | undefined {
  return place?.file === undefined ? undefined : `${place.file}:${place.line + place.offset}`
}
