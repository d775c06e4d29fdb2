/** For callers that do not use `FileSystem.sync` yet. To be removed with the last of them. */

export interface Call<Given extends unknown[], Result> {
  (...given: Given): Promise<Result>
  now?: (...given: Given) => Result
}

export function soonest<Given extends unknown[], Result>(call: Call<Given, Result>, ...given: Given): Promise<Result> {
  return call(...given)
}
