-- For wrk. Environment: BENCH_METHOD, BENCH_PATH, BENCH_BODY, BENCH_HEADERS ("name: value|name: value"), BENCH_KEYS ("key|key", sent in turn).
-- {id} and {region} are replaced by new values in every request.
local regions = {"north", "south", "east", "west", "center", "coast", "hills", "isles"}
local method, path, body = os.getenv("BENCH_METHOD"), os.getenv("BENCH_PATH"), os.getenv("BENCH_BODY")
local headers = {}
for pair in string.gmatch(os.getenv("BENCH_HEADERS") or "", "[^|]+") do
  local name, value = string.match(pair, "^%s*([^:]+):%s*(.*)$")
  headers[name] = value
end
local keys, turn = {}, 0
for key in string.gmatch(os.getenv("BENCH_KEYS") or "", "[^|]+") do keys[#keys + 1] = key end
math.randomseed(42)

local function fill(text)
  if not text then return nil end
  text = string.gsub(text, "{id}", function() return tostring(math.random(1, 1000000)) end)
  return (string.gsub(text, "{region}", function() return regions[math.random(1, 8)] end))
end

request = function()
  if #keys > 0 then
    turn = turn % #keys + 1
    headers["X-API-Key"] = keys[turn]
  end
  return wrk.format(method, fill(path), headers, fill(body))
end

done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('RESULT {"requests":%d,"microseconds":%d,"p50":%.3f,"p99":%.3f,"errors":%d}\n',
    summary.requests, summary.duration, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
