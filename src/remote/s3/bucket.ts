import type { S3Access } from '../../config/s3.ts'

// This client is not Bun's: that one has no time limit, cannot list or abort uploads in parts, and cannot store the sum of
// a file with the object. Libraries for the signature alone would save 59 lines.

/** A bucket of a server, and the limits of requests to it. */
export interface Bucket {
  readonly access: S3Access
  /** Begins the URL of each object: `https://s3.example.com/bucket` or `https://bucket.s3.example.com`. */
  readonly url: string
  readonly limits: S3Limits
}

interface S3Limits {
  /** Time for one request with its response. */
  readonly requestMilliseconds: number
  /** Pauses before the second attempt and those after it. */
  readonly pausesMilliseconds: readonly number[]
  /** The size of a part. It is held in memory. */
  readonly partBytes: number
}

/** 70 kB a second is enough for a part. S3 requires at least 5 MiB. */
const usualLimits: S3Limits = {
  requestMilliseconds: 120_000,
  pausesMilliseconds: [1000, 3000, 9000],
  partBytes: 8 * 1024 * 1024,
}

export const openBucket = (access: S3Access, name: string, limits = usualLimits): Bucket => ({
  access,
  url: urlOf(access, name),
  limits,
})

/**
 * Most servers know buckets as a part of the path. If the operator's URL begins with the bucket's name, as some
 * providers show it, the name is in the host already. Amazon wants it there, but has no certificate for names with dots.
 */
const urlOf = ({ endpoint, region }: S3Access, name: string): string => {
  if (endpoint === null)
    return name.includes('.')
      ? `https://s3.${region}.amazonaws.com/${name}`
      : `https://${name}.s3.${region}.amazonaws.com`
  return new URL(endpoint).hostname.startsWith(`${name}.`) ? endpoint : `${endpoint}/${name}`
}
