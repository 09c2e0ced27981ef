-- Put a request for a run on the list, unless the same one waits there already; returns the job that waits.
-- A job with a dot in its id only tries edits: it is never the same.
-- KEYS: list of requests, status of the new job.
-- ARGV: corpus, fresh ('1' or '0'), request, status, time to live of the status, key that cancels a job (job: *).
for _, raw in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  local readable, waiting = pcall(cjson.decode, raw)
  if readable and type(waiting) == 'table' and waiting.corpus == ARGV[1] and type(waiting.job) == 'string'
    and (waiting.fresh == true) == (ARGV[2] == '1') and not string.find(waiting.job, '.', 1, true)
    and redis.call('EXISTS', (string.gsub(ARGV[6], '*', function() return waiting.job end))) == 0 then
    return waiting.job
  end
end
redis.call('SET', KEYS[2], ARGV[4], 'EX', ARGV[5])
redis.call('RPUSH', KEYS[1], ARGV[3])
return string.match(KEYS[2], '[^:]+$')
