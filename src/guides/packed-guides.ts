import { packGuides } from './guide-pages.ts' with { type: 'macro' }

/** The guides, as the executable has them. A module of its own, so that only who reads one loads it. */
export const packedGuides: string = packGuides()
