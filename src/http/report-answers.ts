import type { Context } from 'elysia'
import { type OnAnswer, routes } from './exchange.ts'

/**
 * Elysia plugin: reports every answer, except those to errors, which `errorResponse` reports. It does so before the
 * answer is sent: `onAfterResponse` would take another turn of the event loop for each request, 2 µs.
 */
export const reportAnswers = (onAnswer: OnAnswer) =>
  routes('report-answers').mapResponse({ as: 'global' }, ({ exchange, route, set, responseValue }) => {
    // Elysia calls this for the answer to an error too, unless no route fits the path.
    if (!exchange.isReported) onAnswer(exchange, route, statusOf(set, responseValue), responseValue)
  })

/** The status of a Response, or of a value that Elysia turns into one. */
const statusOf = ({ status }: Context['set'], answer: unknown): number =>
  answer instanceof Response ? answer.status : typeof status === 'number' ? status : 200
