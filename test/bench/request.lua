-- What wrk sends, from the arguments behind `--`: method, body, number of pages, then headers as `name: value`. Where
-- there are pages, each request is for another one, in an order that looks random; where the body has `{n}`, each sends
-- another text in its place. Prints one line of JSON.
local pages = 0
local turn = 0

function init(arguments)
  wrk.method = arguments[1]
  if arguments[2] ~= '' then wrk.body = arguments[2] end
  pages = tonumber(arguments[3])
  for i = 4, #arguments do
    local name, value = arguments[i]:match('^([^:]+): (.*)$')
    wrk.headers[name] = value
  end
  if pages > 0 then
    request = function()
      -- A prime step visits every page before any comes again.
      turn = (turn + 7919) % pages
      return wrk.format(nil, wrk.path .. '?page=' .. turn + 1)
    end
  end
  local before, after = (wrk.body or ''):match('^(.*){n}(.*)$')
  if before then
    local run = os.time()
    request = function()
      turn = turn + 1
      return wrk.format(nil, nil, nil, before .. run .. '-' .. turn .. after)
    end
  end
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    e.status, e.connect + e.read + e.write + e.timeout))
end
