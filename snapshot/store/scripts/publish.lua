-- Make a staged version permanent and, if serve is '1' and no version is pinned, current: all in one step, or nothing.
-- KEYS: pointer to the current version, sorted set of versions, set of corpora, pinned version, hash of steps, outbox,
--   hash of notices, then every part of the new version.
-- ARGV: version, corpus, channel, announcement, serve, step (or ''), time, notices if it is served, notices if it is held
--   (JSON: id to notice).
-- Returns '1' if the version is served, '0' if it is held.
local current, versions, corpora, pinned, steps, outbox, notices = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local version, corpus, channel, message, serve, step, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local first = 8
local kind = redis.call('TYPE', versions)['ok']
if kind ~= 'zset' and kind ~= 'none' then redis.call('DEL', versions) end
-- A member that is no version, such as 20261116T120000.000Z, would be newer than all: it goes.
local newest
while true do
  newest = redis.call('ZREVRANGE', versions, 0, 0)[1]
  if not newest or string.match(newest, '^%d%d%d%d%d%d%d%dT%d%d%d%d%d%d%.%d%d%dZ$') then break end
  redis.call('ZREM', versions, newest)
end
if newest and newest >= version then
  return redis.error_reply('REFUSED version ' .. version .. ' is not newer than ' .. newest)
end
for i = first, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 0 then
    return redis.error_reply('REFUSED ' .. KEYS[i] .. ' is missing')
  end
end
for i = first, #KEYS do redis.call('PERSIST', KEYS[i]) end
redis.call('ZADD', versions, 0, version)
redis.call('SADD', corpora, corpus)
if redis.call('EXISTS', pinned) == 1 then serve = '0' end
-- With pcall: a damaged key of these must not be in the way of publishing.
if step ~= '' then redis.pcall('HSET', steps, version, step) end
for id, notice in pairs(cjson.decode(serve == '1' and ARGV[8] or ARGV[9])) do
  redis.pcall('HSET', notices, id, notice)
  redis.pcall('ZADD', outbox, now, id)
end
if serve == '1' then
  redis.call('SET', current, version)
  redis.call('PUBLISH', channel, message)
end
return serve
