-- What wrk sends, from the arguments behind `--`: method, body, then headers as `name: value`. Prints one line of JSON.
function init(arguments)
  wrk.method = arguments[1]
  if arguments[2] ~= '' then wrk.body = arguments[2] end
  for i = 3, #arguments do
    local name, value = arguments[i]:match('^([^:]+): (.*)$')
    wrk.headers[name] = value
  end
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    e.status, e.connect + e.read + e.write + e.timeout))
end
